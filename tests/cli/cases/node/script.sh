ubiheap node --limit 3 tiny-before.fxsnapshot 1810879448656
