ubiheap report --format tsv server.ubirec
ubiheap report --format csv --by total -c total,totalError,count,countError,samples,class,function,stackCount sampled.ubirec
ubiheap report --format tsv --top 1 -c address,stack --stack-depth 3 crashed.ubirec
ubiheap report --format json --top 1 --by count -c count,function,file,line server.ubirec
ubiheap report -c peak,function --top 1 server.ubirec
