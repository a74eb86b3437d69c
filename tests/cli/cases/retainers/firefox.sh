ubiheap retainers --limit 3 tiny-before.fxsnapshot 1810879808088
