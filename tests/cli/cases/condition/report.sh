ubiheap report --fail-on 'retained("#document") > 100KiB' tiny-before.fxsnapshot | head -n 1; ubiheap report --fail-on 'retained("#document") > 100KiB' tiny-before.fxsnapshot > /dev/null
