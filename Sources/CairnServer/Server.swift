internal import Hummingbird
