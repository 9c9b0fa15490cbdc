"""The public names of the Python package as a page of Markdown, from their docstrings."""
import dataclasses
import html
import inspect
import re
import sys


def page(folder):
    """Returns the page of the package `cairn_data` in a folder as Markdown."""
    sys.path.insert(0, str(folder))
    import cairn_data

    names = {name: getattr(cairn_data, name) for name in cairn_data.__all__}
    functions = [one for one in names.values() if inspect.isfunction(one)]
    errors = [one for one in names.values() if inspect.isclass(one) and issubclass(one, Exception)]
    # Subclasses follow what they are made from.
    errors.sort(key=lambda one: (len(one.__mro__), one.__name__))
    values = [one for one in names.values() if dataclasses.is_dataclass(one)]
    others = [one for one in names.values() if one not in functions + errors + values]
    parts = ["# The Python package", cairn_data.__doc__, "<doc:Python> has examples. Where a photo is "
             "expected (`PhotoLike`), pass a `Photo`, the beginning of its id, or the path of its file.", "## Functions"]
    for function in functions:
        parts += [f"### `{function.__name__}`", *described(function, f"cairn_data.{function.__name__}")]
    for one in others + values + errors:
        parts += [f"## {one.__name__}", inspect.getdoc(one), fields(one)]
        for name, member in vars(one).items():
            function = member.fget if isinstance(member, property) else member
            if not name.startswith("_") and inspect.isfunction(function):
                parts.append(f"### `{one.__name__}.{name}`")
                parts += [inspect.getdoc(member)] if isinstance(member, property) else described(member, name)
    return "\n\n".join(part for part in parts if part) + "\n"


def described(function, name):
    """Returns the declaration of a function and its docstring."""
    # Types are texts: they are not evaluated.
    signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(function)))
    signature = re.sub(r"^\(self(, )?", "(", signature).replace("records.", "").replace("learning.", "")
    return [f'<pre class="declaration"><code>{html.escape(name + signature)}</code></pre>', inspect.getdoc(function)]


def fields(one):
    """Returns the list of a value's fields with their types."""
    if not dataclasses.is_dataclass(one):
        return ""
    return "\n".join(f"- `{field.name}`: `{field.type}`" for field in dataclasses.fields(one))
