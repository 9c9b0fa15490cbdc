"""A labeler that behaves as its first argument says."""

import json
import os
import signal
import sys
import time

deed = sys.argv[1]
state = sys.argv[2] if len(sys.argv) > 2 else None


def say(message):
    print(json.dumps(message), flush=True)


def starts():
    """Counts in a file how often it was started."""
    with open(state, "a") as file:
        file.write("x")
    return os.path.getsize(state)


def answer(request):
    name = os.path.basename(request["path"])
    say({"id": request["id"], "labels": [
        {"name": name, "score": 0.75}, {"name": "other", "score": 0.2, "box": {"x": 0, "y": 0.5, "width": 1, "height": 0.5}}],
        "caption": {"text": f"this is {name}", "score": 0.5}})


def hang():
    """Says nothing more, and runs the test's clock meanwhile, which stands still otherwise."""
    for _ in range(600):
        tick()


def tick():
    with open(state + ".clock", "a") as file:
        file.write("x")
    time.sleep(0.1)


if deed == "mute":
    time.sleep(60)
if deed == "stillborn":
    sys.exit("no module named torch")
if deed == "stranger":
    say({"hello": "world"})
    say({"cairn": "labeler", "protocol": 2, "name": "a", "version": "1"})
    time.sleep(60)
if deed == "prattles":
    for step in range(200):
        say({"loaded": step})
    time.sleep(60)
if deed == "talkative":
    print("Loading weights: 100%")
count = starts() if state else 1
say({"cairn": "labeler", "protocol": 1, "name": "net", "version": "7", "digest": "abc"})
waiting = []
if deed == "deaf":
    hang()
for line in sys.stdin:
    request = json.loads(line)
    if deed == "reversed":
        # Answers in the other order, as soon as four are asked.
        waiting.append(request)
        if len(waiting) == 4:
            for one in reversed(waiting):
                answer(one)
            waiting = []
    elif deed == "refuses":
        say({"id": request["id"], "error": "it is too dark"})
    elif deed == "dies-once" and count == 1:
        sys.stderr.write("one\ntwo\nout of memory\n")
        os._exit(9)
    elif deed == "dies":
        sys.stderr.write("out of memory\n")
        os._exit(9)
    elif deed == "looks":
        with open(request["path"], "rb") as file:
            start = file.read(3).hex()
        mode = oct(os.stat(request["path"]).st_mode & 0o777)
        say({"id": request["id"], "labels": [{"name": f"{request['format']} {start} {mode}", "score": 1}],
             "caption": {"text": request["path"]}})
    elif deed == "hangs" and "image-3.png" in request["path"]:
        hang()
    elif deed == "chatters" and "image-3.png" in request["path"]:
        # JSON that answers nothing, for as long as anybody listens.
        while True:
            say({"progress": 0.5, "labels": []})
            tick()
    elif deed == "skips" and "image-3.png" in request["path"]:
        pass
    elif deed == "nan" and "image-3.png" in request["path"]:
        say({"id": request["id"], "labels": [{"id": 1, "name": "x", "score": float("nan")}]})
    elif deed == "stutters" and "image-3.png" in request["path"]:
        print('{"labels": [{"id": 7, "name": "\\"id\\": 8"}, ], "id": %d}' % request["id"], flush=True)
    elif deed == "dies-often":
        # Five answers, and then no more: each start brings five more.
        given = globals().get("given", 0) + 1
        answer(request)
        if given == 5:
            os._exit(3)
    elif deed == "stalls":
        given = globals().get("given", 0) + 1
        if given > 6:
            # Until the caller has ended.
            sys.stdin.read()
            break
        answer(request)
    elif deed == "hangs-up" and count == 1:
        # Answers one of four, reads no more, and answers the others when it is ended.
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
    elif deed in ("counts", "hangs-up"):
        with open(state, "a") as file:
            file.write("x")
        answer(request)
    elif deed == "babbles":
        for _ in range(200):
            print("tum te tum", flush=True)
    elif deed == "narrates":
        for step in range(20):
            say({"step": step})
        answer(request)
    elif deed == "floods":
        for _ in range(200):
            say({"id": 0, "step": 1})
    elif deed == "flags":
        say({"id": request["id"], "caption": {"text": "\U0001F1E9\U0001F1EA" * 40_000}})
    elif deed == "wild":
        say({"id": request["id"], "labels": [{"name": "x", "score": 7}]})
    else:
        answer(request)
