ubiheap diff --compat firefox -b inverted-class-is-no-preset two.fxsnapshot two.fxsnapshot
ubiheap diff --compat firefox -n 3 tiny-before.fxsnapshot tiny-after.fxsnapshot
