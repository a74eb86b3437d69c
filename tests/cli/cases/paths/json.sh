ubiheap paths --json tiny-before.fxsnapshot 1810879579408
