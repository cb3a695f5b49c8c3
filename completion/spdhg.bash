# spdhg.bash - completion for bash: verbs, options and names come from the command itself, so that they are those of its tables.
_spdhg() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} topic=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "help $(spdhg --help | sed -n 's/^  \([a-z]\{3,\}\) .*/\1/p')" -- "$current")
        return
    fi
    case $before in
    --loss) topic=losses ;;
    --penalty) topic=penalties ;;
    --structure) topic=structures ;;
    --set) topic=sets ;;
    --solver) topic=solvers ;;
    --format | --to) topic=formats ;;
    --method) topic=methods ;;
    generate) topic=kinds ;;
    list) mapfile -t COMPREPLY < <(compgen -W "losses penalties structures sets solvers formats kinds methods" -- "$current"); return ;;
    help) mapfile -t COMPREPLY < <(compgen -W "$(spdhg --help | sed -n 's/^  \([a-z]\{3,\}\) .*/\1/p')" -- "$current"); return ;;
    esac
    if [ -n "$topic" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(spdhg list "$topic" | sed -n 's/^  \([a-z][a-z0-9+-]*\).*/\1/p')" -- "$current")
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(spdhg help "$verb" 2>/dev/null | grep -o -- '--[a-z][a-z-]*' | sort -u)" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}
complete -o filenames -F _spdhg spdhg
