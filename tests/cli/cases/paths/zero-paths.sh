ubiheap paths --max-paths 0 tiny-before.fxsnapshot 1810879579408
