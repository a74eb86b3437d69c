ubiheap paths --from root tiny-before.fxsnapshot 1810879579408
