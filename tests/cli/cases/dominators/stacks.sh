COLUMNS=100 ubiheap dominators --breakdown stack --node 1810879754456 --depth 3 --percent 3 tiny-before.fxsnapshot
