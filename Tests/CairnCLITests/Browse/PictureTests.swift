import Foundation
import TestSupport
import Testing

/// Whether libsixel's own decoder is installed.
private let hasSixel = Programs.isInstalled("sixel2png")

/// The output of `cairn show` in a pseudo-terminal, decoded by Python and compared with the image.
@Suite("cairn show: images in the terminal")
struct PictureTests {
  /// Runs a Python script that can use `picture`, the image as Pillow decodes it, and
  /// `shown(arguments, answer=…, **variables)`. That runs `cairn show` in a terminal of 40 by 12
  /// cells of 10 by 20 pixels, which answers queries with `answer`, and returns the output and
  /// whether cairn queried the terminal.
  private func check(_ script: String) throws {
    let box = try Sandbox()
    let program = try #require(Programs.clients)
    let made = try box.run(
      program,
      [
        "-c",
        """
        from PIL import Image
        image = Image.new("RGB", (30, 20))
        for x in range(30):
            for y in range(20):
                image.putpixel((x, y), (255 if x < 15 else 0, 255 if y < 10 else 40, x * 8))
        image.save("photo.png")
        """,
      ])
    try #require(made.status == 0, "\(made.stderr)")
    try box.cairn("init", "a")
    try box.cairn("photo", "add", "../photo.png", in: "a")
    let output = try box.run(program, ["-c", Self.prelude + script], in: "a")
    #expect(output.status == 0, "\(output.stderr)\(output.stdout)")
  }

  private static let prelude = #"""
    import base64, fcntl, glob, io, os, pty, re, struct, subprocess, termios
    from PIL import Image, ImageChops
    picture = Image.open("../photo.png").convert("RGB")
    photo = glob.glob("images/*/*/*.png")[0]

    def shown(*arguments, answer=b"", **variables):
        environment = {k: v for k, v in os.environ.items() if k not in ("COLORTERM", "NO_COLOR")}
        environment.update(variables)
        terminal, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 40, 400, 240))
        modes = termios.tcgetattr(inside)
        modes[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(inside, termios.TCSANOW, modes)
        # The answer is written before the query, so that it is never late.
        os.write(terminal, answer)
        process = subprocess.Popen(
            ["cairn", "show", photo, *arguments], stdin=inside, stdout=inside, stderr=inside,
            env=environment, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(inside)
        written = b""
        while True:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            written += piece
        os.close(terminal)
        assert process.wait() == 0, written
        isAsked = b"\x1b[c" in written
        written = written.replace(b"\r\n", b"\n")
        assert b"photo.png" in written and b"30\xc3\x9720" in written, written
        return written, isAsked

    def difference(image):
        assert image.size == picture.size, image.size
        return max(high for _, high in ImageChops.difference(image.convert("RGB"), picture).getextrema())

    def ofKitty(written):
        pieces = re.findall(rb"\x1b_G([^;]*);([^\x1b]*)\x1b\\", written)
        pieces = [p for p in pieces if b"a=q" not in p[0]]
        keys = dict(k.split(b"=") for k in pieces[0][0].split(b","))
        assert keys[b"a"] == b"T" and keys[b"f"] == b"24" and keys[b"q"] == b"2"
        assert all(len(data) <= 4096 for _, data in pieces)
        assert [b"m=0" in k for k, _ in pieces] == [False] * (len(pieces) - 1) + [True]
        data = base64.b64decode(b"".join(data for _, data in pieces), validate=True)
        return Image.frombytes("RGB", (int(keys[b"s"]), int(keys[b"v"])), data)

    def ofBlocks(written, depth):
        color = rb"2;(\d+);(\d+);(\d+)" if depth == 24 else rb"5;(\d+)()()"
        rows = []
        def rgb(parts):
            if depth == 24:
                return tuple(int(p) for p in parts)
            steps = [0, 95, 135, 175, 215, 255]
            n = int(parts[0]) - 16
            return steps[n // 36], steps[n // 6 % 6], steps[n % 6]
        for line in written.decode().split("\n"):
            cells = re.findall((rb"\x1b\[38;" + color + rb";48;" + color + rb"m").decode() + "\u2580", line)
            if cells:
                rows.append([rgb(c[:3]) for c in cells])
                rows.append([rgb(c[3:]) for c in cells])
        image = Image.new("RGB", (len(rows[0]), len(rows)))
        image.putdata([pixel for row in rows for pixel in row])
        return image

    """#

  @Test(
    "uses kitty's protocol if the environment or the terminal's answer names it",
    .enabled(if: Programs.clients != nil, Programs.missingClients))
  func kitty() throws {
    try check(
      #"""
      written, isAsked = shown("--picture", TERM="xterm-kitty")
      assert not isAsked and difference(ofKitty(written)) == 0
      written, isAsked = shown("--picture", TERM="xterm-256color", answer=b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4c")
      assert isAsked and difference(ofKitty(written)) == 0
      # Inside tmux, the variables describe the terminal outside.
      written, isAsked = shown("--picture", TERM="tmux-256color", TERM_PROGRAM="ghostty", TMUX="x", answer=b"\x1b[?1;2c")
      assert isAsked and b"\xe2\x96\x80" in written
      """#)
  }

  @Test(
    "draws the boxes of labels on the image, and changes no other pixel",
    .enabled(if: Programs.clients != nil, Programs.missingClients))
  func boxes() throws {
    try check(
      #"""
      for verdict, box in [([], "0.5,0.5,0.5,0.5"), (["--absent"], "0,0,0.2,0.2")]:
          subprocess.run(["cairn", "label", photo, "oak", "--region", box, *verdict], check=True)
      written, _ = shown("--picture", TERM="xterm-kitty")
      image = ofKitty(written)
      assert image.size == picture.size
      for x in range(30):
          for y in range(20):
              isEdge = x >= 15 and y >= 10 and (x in (15, 29) or y in (10, 19))
              wanted = (255, 221, 0) if isEdge else picture.getpixel((x, y))
              assert image.getpixel((x, y)) == wanted, (x, y, image.getpixel((x, y)))
      """#)
  }

  @Test(
    "sends iTerm2 an image file",
    .enabled(if: Programs.clients != nil, Programs.missingClients))
  func iTerm() throws {
    try check(
      #"""
      written, isAsked = shown("--picture", TERM="xterm-256color", TERM_PROGRAM="iTerm.app")
      keys, data = re.search(rb"\x1b\]1337;File=([^:]*):([A-Za-z0-9+/=]*)\x07", written).groups()
      data = base64.b64decode(data, validate=True)
      keys = dict(k.split(b"=") for k in keys.split(b";"))
      assert keys[b"inline"] == b"1" and int(keys[b"size"]) == len(data) and keys[b"width"] == b"30px"
      image = Image.open(io.BytesIO(data))
      assert not isAsked and difference(image) < 120
      """#)
  }

  @Test(
    "sends sixels that libsixel decodes",
    .enabled(
      if: Programs.clients != nil && hasSixel,
      "there is no sixel2png (libsixel-bin): run `make setup`"))
  func sixel() throws {
    try check(
      #"""
      written, isAsked = shown("--picture", TERM="xterm-256color", answer=b"\x1b[?62;4;6c")
      sequence = re.search(rb"\x1bP[^\x1b]*\x1b\\", written, re.S).group()
      open("../picture.six", "wb").write(sequence)
      subprocess.run(["sixel2png", "-i", "../picture.six", "-o", "../six.png"], check=True)
      image = Image.open("../six.png")
      assert isAsked and difference(image.crop((0, 0, *picture.size))) <= 48, difference(image.crop((0, 0, *picture.size)))
      """#)
  }

  @Test(
    "draws half blocks in the available colors on other terminals",
    .enabled(if: Programs.clients != nil, Programs.missingClients))
  func blocks() throws {
    try check(
      #"""
      written, isAsked = shown("--picture", TERM="xterm-256color", COLORTERM="truecolor", answer=b"\x1b[?1;2c")
      assert isAsked and difference(ofBlocks(written, 24)) == 0
      # Also on a terminal that does not answer or answers nonsense.
      for answer in [b"", b"\x1b[?", b"x" * 5000]:
          written, isAsked = shown("--picture", TERM="xterm-256color", COLORTERM="24bit", answer=answer)
          assert isAsked and difference(ofBlocks(written, 24)) == 0
      written, isAsked = shown("--via", "blocks", TERM="xterm-256color")
      assert not isAsked and difference(ofBlocks(written, 8)) <= 48
      """#)
  }

  @Test(
    "shows no image in a pipe, on a dumb terminal or with NO_COLOR",
    .enabled(if: Programs.clients != nil, Programs.missingClients))
  func none() throws {
    try check(
      #"""
      plain = subprocess.run(["cairn", "show", photo], capture_output=True).stdout
      for more in [["--picture"], ["--via", "kitty"]]:
          assert subprocess.run(["cairn", "show", photo, *more], capture_output=True).stdout == plain
      for variables in [{"TERM": "dumb"}, {"TERM": "xterm-kitty", "NO_COLOR": "1"}]:
          written, isAsked = shown("--picture", **variables)
          assert not isAsked and b"_G" not in written and b"\xe2\x96\x80" not in written
      """#)
  }
}
