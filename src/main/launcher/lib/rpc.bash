# Answers a plain call of `rpc` by itself: without a JVM it is there in a twentieth of the time. Everything else it leaves to the launcher, which
# is read at the end as if this file were not there. It must print what the JVM would; LauncherRpcTest holds one against the other.
#
# Plain is: words key=value or values of required parameters, of the types string, integer and boolean, in printable ASCII; a daemon without TLS
# on this machine; a token from WALLETD_AUTH_TOKEN or the datadir's files. A call is sent once: from then on nothing but its answer counts, and
# one that is no plain result is handed to the JVM to be printed.
#
# The token is in no argument and in no variable that is exported. Run by bash, for /dev/tcp.

app=${0%/*}/..
# A variable of the environment stays one when it is set, and would be handed to every program.
unset -v command method scope url datadir raw values word value line name host port body status length answer answered token told_url told_tokens \
  key known required count given params

# Sets the variables of a call from the words of the command line; fails when they are not plain.
read_words() {
  command='' method='' scope='' url='' datadir='' raw='' values=()
  local word value
  while [ $# -gt 0 ]; do
    word=$1
    shift
    case $word in *[!\ -~]*) return 1 ;; esac
    case $word in
      --datadir=* | --url=* | --scope=*)
        value=${word#*=}
        word=${word%%=*}
        ;;
      --datadir | --url | --scope)
        [ $# -gt 0 ] || return 1
        value=$1
        shift
        ;;
    esac
    case $word in
      --raw)
        [ -z "$raw" ] || return 1
        raw=yes
        ;;
      --datadir)
        [ -n "$value" ] || return 1
        [ -z "$datadir" ] || return 1
        datadir=$value
        ;;
      --url)
        [ -z "$url" ] || return 1
        url=$value
        [ -n "$url" ] || return 1
        ;;
      --scope)
        [ -z "$scope" ] || return 1
        scope=$value
        case $scope in read | manage | spend) ;; *) return 1 ;; esac
        ;;
      '' | [-@\"\'\{\[]*) return 1 ;;
      *)
        if [ -z "$command" ]; then
          [ "$word" = rpc ] || return 1
          command=rpc
        elif [ -z "$method" ]; then
          method=$word
        else
          values+=("$word")
        fi
        ;;
    esac
  done
  case $method in '' | help | *[!a-z0-9_]*) return 1 ;; esac
}

# Fails when a variable is set that the configuration would have to be read for.
look_at_variables() {
  local name
  for name in "${!WALLETD_@}"; do
    case $name in
      WALLETD_URL | WALLETD_AUTH_TOKEN | WALLETD_DATADIR | WALLETD_HEAP | WALLETD_JAVA_OPTS | WALLETD_ARCHIVE | \
        WALLETD_LOGBACK | WALLETD_AUDIT_FILE | WALLETD_KEYSTORE_PASSPHRASE | WALLETD_PASSPHRASE_FILE) ;;
      WALLETD_AUTH_TOKEN_* | WALLETD_INDEXER_TOKEN) return 1 ;;
      *) [ -z "${!name}" ] || return 1 ;;
    esac
  done
  case ${WALLETD_AUTH_TOKEN:-}${WALLETD_URL:-}${WALLETD_DATADIR:-} in *[!\ -~]*) return 1 ;; esac
}

# Reads what the running daemon says of itself, in a folder and a file that nobody else can change.
look_at_datadir() {
  local line
  told_url='' told_tokens=''
  [ -z "${url:-${WALLETD_URL:-}}" ] || [ -z "${WALLETD_AUTH_TOKEN:-}" ] || return 0
  if [ -z "$datadir" ]; then
    datadir=${WALLETD_DATADIR:-}
    if [ -z "$datadir" ]; then
      # The home folder of the user, as the JVM takes it: not that of the variable.
      datadir=$(unset HOME; printf '%s' ~)/.chain-walletd
      [ -e "$datadir" ] || [ ! -r /etc/chain-walletd/walletd.conf ] || datadir=/var/lib/chain-walletd
    fi
  fi
  # A path that the JVM would read otherwise.
  case $datadir in [-@\"\'\~\ ]* | *\ | *[!\ -~]*) return 1 ;; esac
  [ -r "$datadir/DAEMON" ] || return 0
  [ "$(find -L "$datadir" "$datadir/DAEMON" -prune ! -perm -020 ! -perm -002 -print 2>/dev/null | wc -l)" -eq 2 ] || return 0
  while IFS= read -r line; do
    case $line in
      url=*) told_url=${line#url=} ;;
      tokens=files) told_tokens=files ;;
    esac
  done <"$datadir/DAEMON"
}

# Sets the token, which is printable ASCII.
find_token() {
  token=${WALLETD_AUTH_TOKEN:-}
  if [ -z "$token" ]; then
    [ "$told_tokens" = files ] && [ -r "$datadir/token-${scope:-read}" ] || return 1
    IFS= read -r token <"$datadir/token-${scope:-read}"
  fi
  case $token in '' | *[!\!-~]*) return 1 ;; esac
}

# Writes the parameters as JSON by the table of methods, in which each is name:type, with a star behind the required ones.
write_parameters() {
  local line name type word value key known='' required=() count=0
  while IFS= read -r line; do
    [ "${line%% *}" = "$method" ] || continue
    known=" ${line#"$method"} "
    break
  done <"$app/lib/rpc-methods"
  [ -n "$known" ] || return 1
  for word in $known; do
    case $word in *\*) required+=("${word%%:*}") ;; esac
  done
  params=''
  local given=' '
  for word in ${values[@]+"${values[@]}"}; do
    key=${word%%=*}
    value=${word#*=}
    case $word in *=*) ;; *) key='' ;; esac
    case $key in
      '' | [!a-z]* | *[!a-z0-9_]*)
        [ "$count" -lt "${#required[@]}" ] || return 1
        key=${required[count]}
        value=$word
        case $value in *:*) return 1 ;; esac
        ;;
    esac
    case $given in *" $key "*) return 1 ;; esac
    case $known in
      *" $key:string "* | *" $key:string* "*)
        value=${value//\\/\\\\}
        value=\"${value//\"/\\\"}\"
        ;;
      *" $key:integer "* | *" $key:integer* "*)
        case $value in
          0 | [1-9] | [1-9]*[0-9]) case $value in *[!0-9]*) return 1 ;; esac ;;
          *) return 1 ;;
        esac
        ;;
      *" $key:boolean "* | *" $key:boolean* "*) case $value in true | false) ;; *) return 1 ;; esac ;;
      *) return 1 ;;
    esac
    given="$given$key "
    params="$params${params:+,}\"$key\":$value"
    count=$((count + 1))
  done
}

# Leaves the printing of what was heard to the JVM: $1 is the HTTP status, or 0 for none, $2 what came or why nothing came.
hand_over() {
  exec 3<&- < <(printf '%s\n%s' "$1" "$2")
  answered=--answered
}

# Sends the call and prints its result. Returns 1 before anything was sent, and when the answer is handed over.
call() {
  local host port body head='' line status='' length='' answer
  url=${url:-${WALLETD_URL:-$told_url}}
  [[ $url =~ ^http://(127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}|\[::1\]|localhost):([0-9]{1,5})/?$ ]] || return 1
  host=${BASH_REMATCH[1]} port=${BASH_REMATCH[2]}
  body="{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$method\",\"params\":{$params}}"
  line=${host#\[}
  { exec 3<>"/dev/tcp/${line%\]}/$port"; } 2>/dev/null || return 1

  trap '' PIPE
  printf 'POST / HTTP/1.0\r\nHost: %s:%s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
    "$host" "$port" "$token" "${#body}" "$body" >&3 2>/dev/null
  trap - PIPE
  # As long as the JVM waits.
  IFS= read -r -t 630 -u 3 line
  case $? in
    0) ;;
    1) hand_over 0 'HTTP/1.1 header parser received no bytes'; return 1 ;;
    *) hand_over 0 'request timed out'; return 1 ;;
  esac
  status=${line#* }
  status=${status%% *}
  while IFS= read -r -t 630 -u 3 line; do
    line=${line%$'\r'}
    [ -n "$line" ] || break
    case $line in [Cc]ontent-[Ll]ength:*) length=${line#*:} length=${length# } ;; esac
  done
  # With a letter behind it, or the shell would take line ends away.
  answer=$(cat <&3 && printf .)
  answer=${answer%.}
  exec 3<&-
  if [ "${#answer}" != "$length" ]; then
    hand_over 0 'the connection was closed in the middle of the answer'
    return 1
  fi
  case $status$answer in
    *[!\ -~]* | *\\*) hand_over "$status" "$answer"; return 1 ;;
    '200{"jsonrpc":"2.0","result":'*',"id":1}') ;;
    *) hand_over "$status" "$answer"; return 1 ;;
  esac
  line=${answer#'{"jsonrpc":"2.0","result":'}
  printf '%s\n' "${line%',"id":1}'}" | print_result "$raw"
  [ "${PIPESTATUS[1]}" -ne 3 ] || { hand_over "$status" "$answer"; return 1; }
}

# Prints JSON without blanks, and with a line end behind it, as Jackson's pretty printer does, or on one line. Ends with 3, and prints nothing, when it is no such JSON. Between
# quotation marks there are, by turns, structure and strings, in which nothing is escaped.
print_result() {
  awk -v raw="$1" '
    function fail() { failed = 1; exit 3 }
    function put(text) { out[n++] = text }
    function indent(i) { put("\n"); for (i = 0; i < depth; i++) put("  ") }
    BEGIN { RS = "\"" }
    NR % 2 == 0 { put("\"" $0 "\""); next }
    {
      length_of = length($0)
      for (at = 1; at <= length_of; at++) {
        c = substr($0, at, 1)
        if (c == "\n") continue
        if (c == " ") fail()
        if (raw != "") put(c)
        else if (c == "{" || c == "[") {
          close_of = c == "{" ? "}" : "]"
          if (substr($0, at + 1, 1) == close_of) { put(c " " close_of); at++; continue }
          inside[++level] = c
          put(c)
          if (c == "{") { depth++; indent() } else put(" ")
        } else if (c == "}") { level--; depth--; indent(); put(c) }
        else if (c == "]") { level--; put(" ]") }
        else if (c == ",") { put(","); if (inside[level] == "{") indent(); else put(" ") }
        else if (c == ":") put(" : ")
        else put(c)
      }
    }
    END {
      if (failed || NR % 2 == 0 || level != 0) exit 3
      for (i = 0; i < n; i++) printf "%s", out[i]
      print ""
    }'
}

answered=''
plain() {
  local LC_ALL=C
  command -v awk >/dev/null && read_words "$@" && look_at_variables && look_at_datadir && find_token && write_parameters && call
}
plain "$@" && exit 0
[ -z "$answered" ] || set -- "$@" "$answered"
unset -f read_words look_at_variables look_at_datadir find_token write_parameters hand_over call print_result plain
. "$app/bin/chain-walletd"
