# spdhg.fish - completion for fish: verbs, options and names come from the command itself, so that they are those of its tables.
function __spdhg_verbs
    spdhg --help | sed -n 's/^  \([a-z]\{3,\}\) .*/\1/p'
end
function __spdhg_options
    set -l words (commandline -opc)
    test (count $words) -ge 2; and spdhg help $words[2] 2>/dev/null | grep -o -- '--[a-z][a-z-]*' | sort -u
end
function __spdhg_names
    spdhg list $argv[1] | sed -n 's/^  \([a-z][a-z0-9+-]*\).*/\1/p'
end
complete -c spdhg -n 'test (count (commandline -opc)) -eq 1' -f -a '(__spdhg_verbs) help'
function __spdhg_after --description 'the only word so far is this verb'
    set -l words (commandline -opc)
    test (count $words) -eq 2; and test $words[2] = $argv[1]
end
complete -c spdhg -n '__spdhg_after list' -f -a 'losses penalties structures sets solvers formats kinds methods'
complete -c spdhg -n '__spdhg_after generate' -f -a '(__spdhg_names kinds)'
complete -c spdhg -n '__spdhg_after help' -f -a '(__spdhg_verbs)'
complete -c spdhg -n 'test (count (commandline -opc)) -ge 2; and string match -q -- "-*" (commandline -ct)' -f -a '(__spdhg_options)'
for pair in loss:losses penalty:penalties structure:structures set:sets solver:solvers format:formats to:formats method:methods
    set -l part (string split : $pair)
    complete -c spdhg -l $part[1] -x -a "(__spdhg_names $part[2])"
end
