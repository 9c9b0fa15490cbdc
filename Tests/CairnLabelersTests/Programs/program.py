"""A labeler program whose first argument selects its behavior."""

import json
import os
import signal
import sys
import time

behavior = sys.argv[1]
state = sys.argv[2] if len(sys.argv) > 2 else None


def say(message):
    print(json.dumps(message), flush=True)


def starts():
    """Counts the starts in a file and returns their number."""
    with open(state, "a") as file:
        file.write("x")
    return os.path.getsize(state)


def answer(request):
    name = os.path.basename(request["path"])
    say({"id": request["id"], "labels": [
        {"name": name, "score": 0.75}, {"name": "other", "score": 0.2, "box": {"x": 0, "y": 0.5, "width": 1, "height": 0.5}}],
        "caption": {"text": f"this is {name}", "score": 0.5}})


def hang():
    """Prints nothing more and advances the test's clock, which otherwise stands still."""
    for _ in range(600):
        tick()


def tick():
    with open(state + ".clock", "a") as file:
        file.write("x")
    time.sleep(0.1)


if behavior == "mute":
    time.sleep(60)
if behavior == "stillborn":
    sys.exit("no module named torch")
if behavior == "stranger":
    say({"hello": "world"})
    say({"cairn": "labeler", "protocol": 2, "name": "a", "version": "1"})
    time.sleep(60)
if behavior == "prattles":
    for step in range(200):
        say({"loaded": step})
    time.sleep(60)
if behavior == "talkative":
    print("Loading weights: 100%")
count = starts() if state else 1
if behavior == "starts-slowly" and count > 1:
    for _ in range(6000):
        if os.path.exists(state + ".noticed"):
            break
        time.sleep(0.01)
version = "8" if behavior == "upgrades" and count > 1 else "7"
say({"cairn": "labeler", "protocol": 1, "name": "net", "version": version, "digest": "abc"})
waiting = []
if behavior == "deaf":
    hang()
for line in sys.stdin:
    request = json.loads(line)
    if behavior == "reversed":
        # Answers four requests at a time, in reverse order.
        waiting.append(request)
        if len(waiting) == 4:
            for one in reversed(waiting):
                answer(one)
            waiting = []
    elif behavior == "refuses":
        say({"id": request["id"], "error": "it is too dark"})
    elif behavior == "dies-once" and count == 1:
        sys.stderr.write("one\ntwo\nout of memory\n")
        os._exit(9)
    elif behavior == "dies":
        sys.stderr.write("out of memory\n")
        os._exit(9)
    elif behavior == "upgrades" and count == 1:
        # Exits after two answers, and starts as another version.
        given = globals().get("given", 0) + 1
        answer(request)
        if given == 2:
            os._exit(3)
    elif behavior in ("unsure", "unsure-stalls"):
        # Two classes, each with a score that depends on the photo only.
        import hashlib

        given = globals().get("given", 0) + 1
        if behavior == "unsure-stalls" and given > 8:
            # Waits until the caller has ended.
            sys.stdin.read()
            break
        with open(request["path"], "rb") as file:
            digest = hashlib.sha256(file.read()).digest()
        say({"id": request["id"], "labels": [
            {"name": "tree", "score": digest[0] / 255}, {"name": "outdoor", "score": digest[1] / 255}]})
    elif behavior == "looks":
        with open(request["path"], "rb") as file:
            start = file.read(3).hex()
        mode = oct(os.stat(request["path"]).st_mode & 0o777)
        say({"id": request["id"], "labels": [{"name": f"{request['format']} {start} {mode}", "score": 1}],
             "caption": {"text": request["path"]}})
    elif behavior == "starts-slowly" and count == 1:
        # Hangs when all requests are waiting.
        waiting.append(request)
        if len(waiting) == 4:
            hang()
    elif behavior == "starts-slowly":
        # Leaves time for a thread that ends it by mistake.
        time.sleep(0.2)
        answer(request)
    elif behavior == "hangs" and "image-3.png" in request["path"]:
        hang()
    elif behavior == "chatters" and "image-3.png" in request["path"]:
        # JSON that answers no request, without end.
        while True:
            say({"progress": 0.5, "labels": []})
            tick()
    elif behavior == "skips" and "image-3.png" in request["path"]:
        pass
    elif behavior == "nan" and "image-3.png" in request["path"]:
        say({"id": request["id"], "labels": [{"id": 1, "name": "x", "score": float("nan")}]})
    elif behavior == "stutters" and "image-3.png" in request["path"]:
        print('{"labels": [{"id": 7, "name": "\\"id\\": 8"}, ], "id": %d}' % request["id"], flush=True)
    elif behavior == "dies-often":
        # Exits after five answers; each start gives five more.
        given = globals().get("given", 0) + 1
        answer(request)
        if given == 5:
            os._exit(3)
    elif behavior == "stalls":
        given = globals().get("given", 0) + 1
        if given > 6:
            # Waits until the caller has ended.
            sys.stdin.read()
            break
        answer(request)
    elif behavior == "hangs-up" and count == 1:
        # Answers one of four requests, reads no more, and answers the others on SIGTERM.
        waiting.append(request)
        if len(waiting) == 4:
            first, *others = waiting

            def end(*_):
                for one in others:
                    answer(one)
                os._exit(0)

            signal.signal(signal.SIGTERM, end)
            os.close(0)
            answer(first)
            while True:
                signal.pause()
    elif behavior in ("counts", "hangs-up"):
        with open(state, "a") as file:
            file.write("x")
        answer(request)
    elif behavior == "babbles":
        for _ in range(200):
            print("tum te tum", flush=True)
    elif behavior == "narrates":
        for step in range(20):
            say({"step": step})
        answer(request)
    elif behavior == "floods":
        for _ in range(200):
            say({"id": 0, "step": 1})
    elif behavior == "flags":
        say({"id": request["id"], "caption": {"text": "\U0001F1E9\U0001F1EA" * 40_000}})
    elif behavior == "wild":
        say({"id": request["id"], "labels": [{"name": "x", "score": 7}]})
    else:
        answer(request)
