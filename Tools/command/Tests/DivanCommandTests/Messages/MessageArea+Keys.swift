extension MessageArea {
    static let keys = MessageArea(
        title: "Encryption, identities and certificates",
        words: """
            `safe` is encrypted with the key in `key`, and `notes` is not encrypted. `jukebox` is \
            a self-signed identity, and the issuer of `robot` was deleted.
            """,
        preparation: #"""
            divan new notes
            printf 'ab%.0s' {1..32} > key
            printf 'cd%.0s' {1..32} > other
            cp key public
            printf abc > short
            echo secret > secret
            echo hello > text.txt
            chmod 600 key other short secret text.txt
            chmod 644 public
            divan new safe --key-file key
            divan identity new jukebox --key p256
            divan identity new cellar --authority --key p256
            divan identity new robot --issuer cellar --key p256
            divan identity export jukebox > jukebox.pem
            divan identity export jukebox --p12 jukebox.p12 --password-file secret
            divan identity rm cellar --yes
            """#,
        commands: #"""
            divan ls safe
            divan ls safe --key-file other
            divan ls safe --key-file nofile
            divan ls safe --key-file public
            divan ls safe --key-file short
            divan ls safe --key-command 'exit 3'
            divan ls safe --key-file key --key-command 'cat key'
            divan ls notes --key-file key
            divan encrypt notes
            divan identity new jukebox
            divan identity new a --issuer jukebox
            divan identity new ''
            divan identity new $'a\nb'
            divan identity show nosuch
            divan identity renew robot
            divan identity rm jukebox
            divan identity export jukebox --p12 copy.p12
            divan identity import copy jukebox.pem
            divan identity import copy jukebox.p12 --password-file other
            divan certs show text.txt
            """#
    )
}
