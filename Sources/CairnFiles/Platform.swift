internal import LibC

var systemErrno: CInt { errno }
