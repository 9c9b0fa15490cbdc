"""Who comes to the tests' Git LFS server: somebody with a name, since a token needs one."""

from giftless.auth.identity import DefaultIdentity, Permission


def anybody(_):
    user = DefaultIdentity(name="ann", id="ann")
    user.allow(permissions=Permission.all())
    return user
