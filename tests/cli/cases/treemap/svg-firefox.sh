ubiheap treemap --compat firefox --width 200 --height 120 --depth 1 tiny-before.fxsnapshot
