echo "echo begun" > script; chmod +x script
ubiheap record ./script; echo "exit $?"
echo "#!/no/such/interpreter" > script
ubiheap record ./script; echo "exit $?"
