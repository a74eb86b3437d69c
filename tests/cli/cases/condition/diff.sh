ubiheap diff -b count --fail-on 'growth > 5% or countGrowth > 1000' tiny-before.fxsnapshot tiny-after.fxsnapshot > /dev/null
