package dev.nodepath.cli;

import dev.nodepath.emulator.cluster.ForwardedSockets;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.page.ClusterPage;
import dev.nodepath.page.http.PageToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens the live page of the running cluster to this machine. */
final class PageLink {
    private PageLink() {}

    /**
     * Opens a socket and gives it to the cluster.
     *
     * @return the address for a browser, with the token that the page asks for
     */
    static String open(ClusterRecord record, PageAddress where) throws IOException {
        Path folder = record.inside(Enclosure.RUN);
        int port = ForwardedSockets.send(
                folder.resolve(ClusterPage.SOCKET), where.address(), where.firstPort(), where.lastPort());
        return link(where, port, new PageToken(Files.readString(folder.resolve(ClusterPage.TOKEN))));
    }

    /** The address to print. A browser that opens it gets a cookie, and goes on to the address without the token. */
    static String link(PageAddress where, int port, PageToken token) {
        return "http://" + where.address().withPort(port) + "/?token=" + token.value();
    }
}
