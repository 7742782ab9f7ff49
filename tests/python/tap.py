"""TAP for tests in Python; the shell script around them counts."""
import sys
import traceback


def ok(passed, description, got=None):
    print(("ok - " if passed else "not ok - ") + description)
    if not passed and got is not None:
        print("\n".join("# got: " + line for line in str(got).splitlines()[:20]))
    return passed


def equal(got, expected, description):
    return ok(got == expected, description, f"{got!r}\nexpected: {expected!r}")


def raises(kind, words, function, description):
    """Whether the function raises an exception of the kind whose text contains the words."""
    try:
        got = function()
    except kind as error:
        return ok(words in str(error), description, f"{type(error).__name__}: {error}")
    except Exception:
        got = traceback.format_exc()
    return ok(False, description, got)


def skip(description, reason):
    print(f"ok - {description} # SKIP {reason}")


def end():
    sys.stdout.flush()
    print("done")
