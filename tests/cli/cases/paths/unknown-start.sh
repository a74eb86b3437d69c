ubiheap paths --from 5 tiny-before.fxsnapshot 1810879579408
