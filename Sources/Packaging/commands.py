"""The commands as pages of Markdown, from the descriptions that their help is made from."""
import json
import re
import subprocess


class Commands:
    """The commands of a program that its help lists, by the names of their manual pages."""

    def __init__(self, program):
        run = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True)
        self.found = {}
        self.add(json.loads(run.stdout)["command"], ("cairn",))

    def add(self, command, path):
        self.found["-".join(path)] = (path, command)
        for sub in visible(command.get("subcommands", [])):
            if sub["commandName"] != "help":
                self.add(sub, (*path, sub["commandName"]))

    def page(self, name):
        """Returns the page of a command as Markdown."""
        path, command = self.found[name]
        arguments = visible(command.get("arguments", []))
        parts = [f"# {' '.join(path)}", prose(command.get("abstract", "")), f"```text\n{usage(path, command)}\n```",
                 *discussion(command.get("discussion", ""))]
        for heading, chosen in (("Arguments", [one for one in arguments if not one.get("names")]),
                                ("Options", [one for one in arguments if one.get("names")])):
            if chosen:
                parts += [f"## {heading}", "\n".join(f"- `{spelled(one)}`: {described(one)}" for one in chosen)]
        subcommands = [one for one, (other, _) in self.found.items() if other[:-1] == path]
        if subcommands:
            parts += ["## Commands", "\n".join(
                f"- [`{' '.join(self.found[one][0])}`](command:{one}): {prose(self.found[one][1].get('abstract', ''))}"
                for one in subcommands)]
        if len(path) > 1:
            parts.append(f"See also [`{' '.join(path[:-1])}`](command:{'-'.join(path[:-1])}).")
        return "\n\n".join(part for part in parts if part) + "\n"


def visible(entries):
    return [entry for entry in entries if entry.get("shouldDisplay", True)]


def prose(text):
    """Returns a paragraph whose characters mean nothing in Markdown, except for `code`."""
    parts = text.replace("\u00a0", " ").split("`")
    return "`".join(part if index % 2 else re.sub(r"([\\*_<>\[\]|#&])", r"\\\1", part)
                    for index, part in enumerate(parts))


def discussion(text):
    """Returns the paragraphs of a help page: prose, headings, and examples as they are."""
    parts = []
    for block in re.split(r"\n\s*\n", text.replace("\u00a0", " ").strip("\n")):
        lines = block.split("\n")
        if lines[0] and not lines[0].startswith(" ") and not re.search("[a-z]", lines[0]):
            parts.append("## " + prose(lines.pop(0).strip().capitalize()))
        plain = [line.strip() for line in lines if not line.startswith(" ")]
        code = [line.removeprefix("  ") for line in lines if line.startswith(" ")]
        # A block is one or the other, or prose with lines that belong to it.
        parts += [prose(" ".join(plain)), "```text\n" + "\n".join(code) + "\n```" if code else ""]
    return parts


def spelled(argument):
    """Returns the names of an argument and its value: `-m, --message message`."""
    value = "" if argument["kind"] == "flag" else argument["valueName"]
    names = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument.get("names") or ()]
    return " ".join(part for part in (", ".join(names), value) if part)


def described(argument):
    text = prose(argument.get("abstract", "").rstrip(".") + ".")
    if argument.get("defaultValue") and argument["kind"] != "flag":
        text += f" The default is `{argument['defaultValue']}`."
    return text


def usage(path, command):
    words = list(path)
    arguments = visible(command.get("arguments", []))
    if any(argument.get("names") for argument in arguments):
        words.append("[options]")
    if command.get("subcommands"):
        words.append("command")
    for argument in arguments:
        if not argument.get("names"):
            word = argument["valueName"] + (" ..." if argument["isRepeating"] else "")
            words.append(f"[{word}]" if argument["isOptional"] else word)
    return " ".join(words)
