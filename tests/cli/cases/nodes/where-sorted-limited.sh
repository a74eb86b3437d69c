ubiheap nodes -w 'coarseType == "DOMNode" and not rawSize < 100' -s -rawSize -n 3 -c rawSize,displayName tiny-before.fxsnapshot
