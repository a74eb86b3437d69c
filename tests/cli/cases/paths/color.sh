ubiheap paths --color always --max-paths 2 tiny-before.fxsnapshot 1810879579408
