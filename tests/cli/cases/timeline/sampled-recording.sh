ubiheap timeline sampled.ubirec
ubiheap timeline --json sampled.ubirec | head -c 300 | grep -o '"sampled":[a-z]*,"otherFiles":[^,]*'
ubiheap timeline server.ubirec | grep Memory
ubiheap timeline --json small.timeline | grep -o '"sampled":[a-z]*,"otherFiles":[^,]*'
