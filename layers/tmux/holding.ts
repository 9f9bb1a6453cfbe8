/**
 * Servers close a pane's terminal as soon as the process that they started there ends, and lose what it printed last and
 * they have not read: up to the rows of several thousand bytes. So a process stays in between, where there is perl to be
 * it: it ends as the program did, once the server has answered a question that came after the last output.
 */

/**
 * The program is a job of it in the foreground: keys that make signals reach the program alone, and the server names the
 * program. It passes on signals that are sent to it, and a program that is stopped by Ctrl-Z goes on at once, since
 * nobody is there to resume it. A shell that reads commands is held too: it can print and end in one line.
 */
const script = String.raw`BEGIN { $0 = $ARGV[1] } use POSIX ();
my $lang = shift;
if ($lang eq "") { delete $ENV{PERL_BADLANG} } else { $ENV{PERL_BADLANG} = $lang }
my @passed = qw(HUP INT QUIT TERM USR1 USR2);
my $tty = POSIX::open("/dev/tty", POSIX::O_RDWR());
my $child = defined $tty ? fork : undef;
defined $child or exec { $ARGV[0] } @ARGV;
$SIG{TTOU} = "IGNORE";
if ($child == 0) {
  setpgrp 0, 0;
  POSIX::tcsetpgrp($tty, $$);
  POSIX::close($tty);
  $SIG{TTOU} = "DEFAULT";
  exec { $ARGV[0] } @ARGV;
  POSIX::_exit($!{ENOENT} ? 127 : 126);
}
$0 = "paneway-hold";
for my $name (@passed) { $SIG{$name} = sub { kill $name, $child } }
my $status;
while (1) {
  my $got = waitpid $child, POSIX::WUNTRACED();
  next if $got == -1 && $!{EINTR};
  last if $got == -1;
  $status = ${"$"}{^CHILD_ERROR_NATIVE};
  last if !POSIX::WIFSTOPPED($status);
  kill "CONT", -$child if POSIX::WSTOPSIG($status) == POSIX::SIGTSTP();
}
$SIG{$_} = "DEFAULT" for @passed;
POSIX::tcsetpgrp($tty, getpgrp 0);
my $mode = POSIX::Termios->new;
if ($mode->getattr($tty)) {
  $mode->setlflag($mode->getlflag & ~(POSIX::ECHO() | POSIX::ICANON() | POSIX::ISIG()));
  $mode->setcc(POSIX::VMIN(), 0);
  $mode->setcc(POSIX::VTIME(), 10);
  $mode->setattr($tty, POSIX::TCSANOW());
  POSIX::tcflush($tty, POSIX::TCIFLUSH());
  POSIX::write($tty, "\030\033[5n", 5);
  my ($heard, $until) = ("", time + 2);
  while ($heard !~ /\033\[0n/ && time <= $until) {
    my $read = POSIX::read($tty, my $some, 4096);
    last if !$read || $read <= 0;
    $heard = substr "$heard$some", -4096;
  }
}
POSIX::tcsetpgrp($tty, $child);
kill POSIX::WTERMSIG($status), $$ if POSIX::WIFSIGNALED($status);
POSIX::_exit(POSIX::WEXITSTATUS($status));
`

/** Its name, in `/proc` and in lists of processes. */
export const holder = "paneway-hold"

/** How the arguments of a process begin that is about to be it. */
export const beforeHolder = `perl\0-e\0${script.slice(0, 20)}`

/** For a shell: becomes the program in `"$@"`, held where that is possible. */
export const held = `if command -v perl >/dev/null 2>&1 && [ -z "\${PERL5OPT-}" ]; then ` +
  `old=\${PERL_BADLANG-}; export PERL_BADLANG=0; ` +
  `exec perl -e '${script.replaceAll("'", `'\\''`)}' -- "$old" "$@"; else exec "$@"; fi`
