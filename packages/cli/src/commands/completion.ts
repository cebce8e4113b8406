import { Argument, type Command } from 'commander';
import type { Context } from '../context.ts';

/** The words that may follow a command, such as `links list`. */
interface Place {
  readonly path: string;
  readonly words: readonly string[];
}

/** Returns the words for each command and its commands. */
function listPlaces(command: Command, path: readonly string[] = []): Place[] {
  const commands = command.commands.map((one) => one.name());
  const options = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? []);
  const given = path.length === 0 ? options : [...options, '--json'];
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const words = [...commands, ...choices, ...new Set(given)];
  return [
    { path: path.join(' '), words },
    ...command.commands.flatMap((one) => listPlaces(one, [...path, one.name()])),
  ];
}

const cases = (places: readonly Place[], write: (words: string) => string): string =>
  places.map(({ path, words }) => `    '${path}') ${write(words.join(' '))} ;;`).join('\n');

/** True where a command follows, and no file. */
const isGroup = (path: string): boolean => ['', 'links', 'spaces', 'tags', 'operations'].includes(path);

/** The words before the cursor that name a command, in both shells: the first two that are no options. */
const scripts: Readonly<Record<string, (places: readonly Place[]) => string>> = {
  bash: (places) => `# Completion of lsp for bash: source <(lsp completion bash)
_lsp() {
  local word path='' words='' at
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    case "$word" in -*) continue ;; esac
    case "$path" in
    '') path="$word" ;;
    links | spaces | tags | operations) path="$path $word" ;;
    esac
  done
  case "$path" in
${cases(places, (words) => `words='${words}'`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _lsp lsp
`,
  zsh: (places) => `#compdef lsp
# Completion of lsp for zsh: source <(lsp completion zsh)
_lsp() {
  local word place=''
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*) continue ;; esac
    case "$place" in
    '') place="$word" ;;
    links | spaces | tags | operations) place="$place $word" ;;
    esac
  done
  case "$place" in
${cases(places, (words) => `compadd -- ${words}`)}
  esac
  case "$place" in '' | links | spaces | tags | operations) ;; *) _files ;; esac
}
compdef _lsp lsp
`,
  fish: (places) => `# Completion of lsp for fish: lsp completion fish | source
function __lsp_place
    set -l place
    for word in (commandline -opc)[2..]
        string match -q -- '-*' $word; and continue
        switch "$place"
            case ''
                set place $word
            case links spaces tags operations
                set place "$place $word"
        end
    end
    echo $place
end
${places.map(({ path, words }) => `complete -c lsp -n 'test (__lsp_place) = "${path}"'${isGroup(path) ? ' -f' : ''} -a '${words.join(' ')}'`).join('\n')}
`,
};

export function addCompletion(program: Command, context: Context): void {
  program
    .command('completion')
    .description('print a script by which a shell completes commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .action(async (shell: string) => context.print(scripts[shell]?.(listPlaces(program)) ?? ''));
}
