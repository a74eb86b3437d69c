COLUMNS=40 ubiheap dominators --depth 3 tiny-before.fxsnapshot
