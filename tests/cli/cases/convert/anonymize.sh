ubiheap convert --anonymize unreachable.fxsnapshot shared.fxsnapshot | sed "s/, [0-9.]* KiB (/, SIZE (/"
ubiheap nodes -c id,rawSize,coarseType,className unreachable.fxsnapshot > before
ubiheap nodes -c id,rawSize,coarseType,className shared.fxsnapshot | diff before - && echo equal
