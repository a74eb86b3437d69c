ubiheap containment --depth 3 --limit 2 tiny-before.fxsnapshot
