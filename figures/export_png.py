"""A drawing as PNG, with its resolution and its metadata in the file."""

import io

import vl_convert
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from figures.export_stamp import PROGRAM, SOURCE, Stamp
from figures.export_svg import Drawing


def png(drawn: Drawing, said: Stamp, resolution: int) -> bytes:
    """Render a drawing, opaque, with a number of dots per inch."""
    image = Image.open(io.BytesIO(vl_convert.svg_to_png(drawn.text(resolution)))).convert("RGB")
    texts = {
        "Title": said.title,
        "Description": said.caption,
        "Software": PROGRAM,
        "Source": SOURCE,
        "XML:com.adobe.xmp": said.xmp(),
    }
    chunks = PngInfo()
    for name, text in texts.items():
        chunks.add_itxt(name, text)
    stream = io.BytesIO()
    image.save(stream, "PNG", dpi=(resolution, resolution), pnginfo=chunks, optimize=True)
    return stream.getvalue()
