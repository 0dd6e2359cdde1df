"""A page taken apart, and text that attacks one."""

from html.parser import HTMLParser

HOSTILE = "<script>alert(1)</script></style></title><img src=x onerror=alert(1)> | `b` ]]> \" '"


class Elements(HTMLParser):
    """Collects elements with their attributes, and all text."""

    def __init__(self, text):
        super().__init__()
        self.found, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    def count(self, tag):
        return sum(name == tag for name, _ in self.found)
