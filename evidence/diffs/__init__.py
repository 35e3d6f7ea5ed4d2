"""What a change's diff does, read by rules: pure functions from text to typed values."""

from .effects import Effect, EffectKind
from .model import Diff, FileDiff
from .parse import parse_diff
from .profile import Profile, profile_of

__all__ = ["Diff", "Effect", "EffectKind", "FileDiff", "Profile", "parse_diff", "profile_of"]
