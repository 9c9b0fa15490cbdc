"""The public types of the library as pages of Markdown, from the compiler's symbol graphs."""
import dataclasses
import html
import json
import re

TYPES = ("struct", "enum", "class", "protocol", "actor")
# What follows the type on its page, unless its members are in several folders; those are its headings then.
SECTIONS = {
    "enum.case": "Cases", "init": "Initializers", "type.property": "Type properties", "property": "Properties",
    "subscript": "Subscripts", "type.method": "Type methods", "method": "Methods", "func.op": "Operators",
    "typealias": "Type aliases"}
# What almost every type conforms to.
IMPLICIT = {"Copyable", "Escapable", "SendableMetatype"}
# What ends the first paragraph of a comment: an empty line, or a list.
END = re.compile(r"\n\s*\n|\n(?=- )")
# How a link to a symbol is written.
LINK = re.compile(r"(?<!`)``([A-Za-z_][^`\n]*)``(?!`)")


@dataclasses.dataclass
class Symbol:
    """A public declaration. Its path consists of the names of the types that it is in, and its own name."""

    path: tuple
    kind: str
    module: str
    fragments: list
    comment: str
    file: str
    line: int

    @property
    def name(self):
        return ".".join(self.path)

    @property
    def abstract(self):
        """The first paragraph of the comment."""
        return " ".join(END.split(self.comment, 1)[0].split())


class Reference:
    """The symbols of all graphs in a directory."""

    def __init__(self, directory):
        self.symbols, self.members, self.conformances = {}, {}, {}
        graphs = [json.loads(path.read_text()) for path in sorted(directory.glob("*.symbols.json"))]
        if not graphs:
            raise SystemExit(f"{directory}: no symbol graphs")
        for graph in graphs:
            for value in graph["symbols"]:
                self.symbols.setdefault(value["identifier"]["precise"], symbol(value, graph["module"]["name"]))
        for graph in graphs:
            for relation in graph["relationships"]:
                if relation["kind"] == "conformsTo":
                    name = relation.get("targetFallback", "").split(".")[-1]
                    self.conformances.setdefault(relation["source"], set()).add(name)
        self.types = {}
        for identifier, one in self.symbols.items():
            if one.kind in TYPES:
                self.types[one.path] = identifier
        for one in sorted(self.symbols.values(), key=lambda one: (one.file, one.line, one.path)):
            if one.kind not in TYPES and one.path[:-1] in self.types:
                self.members.setdefault(one.path[:-1], []).append(one)

    def find(self, link, scope=()):
        """Returns the path of the symbol that a link names, from a type or from outside; None if there is none."""
        names = tuple(re.sub(r"-[0-9a-z]{4,6}$", "", link).split("/"))
        for length in range(len(scope), -1, -1):
            path = scope[:length] + names
            if path in self.types or any(one.path == path for one in self.members.get(path[:-1], ())):
                return path
        return None

    def declaration(self, one, address):
        """Returns a declaration as HTML, in which the types of the library are links to `address(path)`."""
        text = ""
        for fragment in one.fragments:
            spelling = html.escape(fragment["spelling"])
            target = self.symbols.get(fragment.get("preciseIdentifier"))
            if target and target.path in self.types and fragment["kind"] == "typeIdentifier":
                spelling = f'<a href="{address(target.path)}">{spelling}</a>'
            text += spelling
        return f'<pre class="declaration"><code>{text.strip()}</code></pre>'

    def page(self, path, address):
        """Returns the page of a type as Markdown."""
        one = self.symbols[self.types[path]]
        parts = [f"# {one.name}", one.abstract, self.declaration(one, address), rest(one)]
        conformances = sorted(self.conformances.get(self.types[path], set()) - IMPLICIT)
        if conformances:
            parts.append("Conforms to " + ", ".join(f"`{name}`" for name in conformances) + ".")
        nested = sorted(other for other in self.types if other[:-1] == path)
        if nested:
            parts += ["## Types", self.listing(nested)]
        for heading, members in self.sections(path):
            parts.append(f"## {heading}")
            for member in members:
                parts += [f"### `{member.path[-1]}`", member.abstract, self.declaration(member, address), rest(member)]
        parts.append(f"In ``{'/'.join(path[:-1])}``." if path[:-1] in self.types else f"In the module `{one.module}`.")
        return "\n\n".join(part for part in parts if part) + "\n"

    def sections(self, path):
        """Returns the members of a type by heading: by folder if they are in several, else by kind."""
        members = self.members.get(path, [])
        folders = sorted({folder(one) for one in members} - {""})
        if len(folders) > 2:
            headings = [("Basics" if not name else name, [one for one in members if folder(one) == name])
                        for name in ["", *folders]]
        else:
            headings = [(name, [one for one in members if one.kind == kind]) for kind, name in SECTIONS.items()]
        return [(name, found) for name, found in headings if found]

    def listing(self, paths):
        """Returns a list of types with what they are."""
        lines = []
        for path in paths:
            one = self.symbols[self.types[path]]
            lines.append(f"- ``{'/'.join(path)}``" + (f": {one.abstract}" if one.abstract else ""))
        return "\n".join(lines)

    def index(self):
        """Returns the page of all types as Markdown."""
        types = sorted((path for path in self.types if len(path) == 1), key=lambda path: path[0].lower())
        return (
            "# Types of the library\n\nThe public types of `Cairn`. Those of the module `CairnDocument` are also in the "
            "product of this name, which only reads and writes documents.\n\n" + self.listing(types) + "\n")


def symbol(value, module):
    """Returns the symbol of a value of a graph."""
    lines = [line["text"] for line in value.get("docComment", {}).get("lines", [])]
    location = value.get("location", {"uri": "", "position": {"line": 0}})
    return Symbol(
        tuple(value["pathComponents"]), value["kind"]["identifier"].removeprefix("swift."), module,
        value["declarationFragments"], "\n".join(lines).strip(), location["uri"].rpartition("/Sources/")[2],
        location["position"]["line"])


def rest(one):
    """Returns the comment without its first paragraph, with the names of its fields in bold."""
    text = "".join(END.split(one.comment, 1)[1:])
    return re.sub(r"(?m)^- (Parameters?|Returns|Throws)( \w+)?:", lambda field: f"- **{field[1]}{field[2] or ''}:**", text)


def folder(one):
    """Returns the folder of a symbol's file in its module, such as `Labels`; an empty text for the module itself."""
    return "/".join(one.file.split("/")[1:-1])
