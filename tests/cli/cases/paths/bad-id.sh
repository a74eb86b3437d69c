ubiheap paths tiny-before.fxsnapshot Window
