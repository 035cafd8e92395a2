"""Datasets as the bytes a chart receives, encoded once per dataset."""

import weakref

import pyarrow as pa

from figures.rows import Rows

_kept: weakref.WeakKeyDictionary[Rows, bytes] = weakref.WeakKeyDictionary()


def encoded(rows: Rows) -> bytes:
    """Return a dataset as an Arrow stream; one encoded before is not encoded again while it lives."""
    content = _kept.get(rows)
    if content is None:
        content = _kept[rows] = _stream(rows)
    return content


def _stream(rows: Rows) -> bytes:
    batch = pa.RecordBatch.from_arrays(
        [pa.array(column) for column in rows.columns.values()], list(rows.columns)
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()
