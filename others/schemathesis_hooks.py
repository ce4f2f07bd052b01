"""A schema cannot say what a ZIP is: schemathesis sends a small suite in its place."""

import io
import zipfile

import schemathesis


@schemathesis.serializer("application/zip")
def suite(_context, _value):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("suite/pom.xml", "<project/>")
    return file.getvalue()
