# every retainer that is counted has a row, and no limit is blamed for those that close a circle
ubiheap retainers --depth 2 circles.fxsnapshot 3
ubiheap retainers --json circles.fxsnapshot 3 | grep -o '"retainerCount":[0-9]*\|"circular":true\|"limitsReached":{[^}]*}'
