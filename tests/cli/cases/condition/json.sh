ubiheap census --json -b count --fail-on 'count(SavedFrame) > 700' tiny-before.fxsnapshot
