ubiheap paths --max-paths 3 --from 1810879579408 tiny-before.fxsnapshot 1810879579408
