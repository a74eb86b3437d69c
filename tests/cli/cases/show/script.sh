ubiheap show --limit 3 tiny-before.fxsnapshot 1810879448656
