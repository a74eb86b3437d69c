ubiheap diff server.ubirec growing.ubirec
COLUMNS=40 ubiheap diff --by total --sort change --limit 2 --per allocation server.ubirec growing.ubirec
ubiheap diff --by count -n 1 crashed.ubirec server.ubirec
ubiheap diff few.ubirec sampled.ubirec
ubiheap diff server.ubirec server.ubirec
ubiheap diff --fail-on 'leakedGrowth > 10% or newPlaces > 2' server.ubirec growing.ubirec > all; echo "status $?"
ubiheap diff --fail-on 'leakedGrowth > 10% or newPlaces > 1' server.ubirec growing.ubirec > all; echo "status $?"
ubiheap diff --fail-on 'peakGrowth > 5%' server.ubirec crashed.ubirec > all; echo "status $?"
ubiheap diff --fail-on 'leakedGrowth > 1KiB' few.ubirec sampled.ubirec > all; echo "status $?"
ubiheap diff --by temporary server.ubirec few.ubirec; echo "status $?"
ubiheap diff server.ubirec tiny-before.fxsnapshot; echo "status $?"
