# What scripts pass to every command is read by all of them.
ubiheap info --compat firefox two.fxsnapshot > with && ubiheap info two.fxsnapshot > without
grep -v '^Loaded' with > a; grep -v '^Loaded' without > b; cmp a b
ubiheap help info | grep -c compat
ubiheap census --compat firefox -b count two.fxsnapshot
