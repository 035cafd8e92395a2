"""The version that reports and files carry."""

VERSION = "0.1.0"
