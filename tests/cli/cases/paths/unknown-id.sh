ubiheap paths tiny-before.fxsnapshot 1810879579408 5
