"""The user of the tests' Git LFS server; a token needs a user with a name."""

from giftless.auth.identity import DefaultIdentity, Permission


def anybody(_):
    user = DefaultIdentity(name="ann", id="ann")
    user.allow(permissions=Permission.all())
    return user
