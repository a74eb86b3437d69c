ubiheap show --limit 0 tiny-before.fxsnapshot 1810879754456 | tail -n 32
