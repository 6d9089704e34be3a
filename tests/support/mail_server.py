"""A mail server on ports of its own, for tests: run by a Python that has aiosmtpd. Prints its ports;
then one JSON line per message. Arguments: certificate, key. Login is me / SEC-password."""

import asyncio
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


class Box:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("unknown"):
            return "550 5.1.1 nobody of that name"
        if address.startswith("later"):
            return "450 4.2.0 come back later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        print(json.dumps({"to": envelope.rcpt_tos, "from": envelope.mail_from,
                          "tls": session.ssl is not None, "login": bool(session.authenticated),
                          "text": envelope.content.decode()}), flush=True)
        return "250 taken"


def check_login(server, session, envelope, mechanism, data):
    good = data.login == b"me" and data.password == b"SEC-password"
    return AuthResult(success=good, handled=good)  # Else the server says 535.


async def serve(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    ways = {
        "starttls": (None, {"tls_context": context, "require_starttls": True, "auth_required": True}),
        "tls": (context, {"auth_require_tls": False, "auth_required": True,
                          "auth_exclude_mechanism": ["PLAIN"]}),
        "plain": (None, {}),
    }
    ports = {}
    for way, (tls, words) in ways.items():
        server = await asyncio.get_running_loop().create_server(
            lambda words=words: SMTP(Box(), authenticator=check_login, **words), "127.0.0.1", 0, ssl=tls)
        ports[way] = server.sockets[0].getsockname()[1]
    print(json.dumps(ports), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[1:]))
