package dev.nodepath.cni.config;

import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/**
 * How the node's end of a container's link is found again without any record: its name follows from the attachment, and its
 * alias says which attachment it is.
 */
public record LinkIdentity(String network, Attachment attachment) {
    private static final String ALIAS = "nodepath-cni ";

    /** The longest alias that the kernel takes, in bytes. */
    private static final int ALIAS_BYTES_MAX = 255;

    /** How many names an attachment may have, should another one have the first: one in four billion. */
    public static final int NAMES_MAX = 10;

    private static final long FNV_BASIS = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    /** The name of the node's end, in upstream's form. */
    public String hostName(int number) {
        long hash = hash(text() + (number == 0 ? "" : " " + number));
        return "veth" + HexFormat.of().toHexDigits((int) (hash ^ hash >>> 32));
    }

    /** The alias of the node's end; where it would be too long, the network's name stands there by its hash. */
    public String alias() {
        String alias = ALIAS + text();
        if (alias.length() > ALIAS_BYTES_MAX) {
            alias = ALIAS + new LinkIdentity(networkHash(), attachment).text();
        }
        return alias.length() > ALIAS_BYTES_MAX ? ALIAS + shortText() : alias;
    }

    /** 16 hex digits that stand for the network. */
    public String networkHash() {
        return HexFormat.of().toHexDigits(hash(network));
    }

    /** Whether this, read from an alias, is an attachment of another one's network. */
    public boolean isOfNetworkOf(LinkIdentity other) {
        return network.equals(other.network) || network.equals(other.networkHash());
    }

    /** 16 hex digits that stand for the attachment where its own text would be too long. */
    String shortText() {
        return HexFormat.of().toHexDigits(hash(text()));
    }

    /** Container and interface, or {@link #shortText} if that is longer than it may be, in characters. */
    public String shortName(int lengthMax) {
        String name = attachment.containerId() + "-" + attachment.ifname();
        return name.length() <= lengthMax ? name : shortText();
    }

    /**
     * Which attachment of a network, or of its hash, has an alias; empty if it is none of ours, or the container's name is too long
     * for it to be told.
     */
    public static Optional<LinkIdentity> ofAlias(String alias) {
        String[] parts = isAlias(alias) ? alias.substring(ALIAS.length()).split(" ", -1) : new String[0];
        return parts.length == 3
                ? Optional.of(new LinkIdentity(parts[0], new Attachment(parts[1], parts[2])))
                : Optional.empty();
    }

    /** Whether it is the alias of a link that was made here, also if it does not tell of which attachment. */
    public static boolean isAlias(String alias) {
        return alias.startsWith(ALIAS);
    }

    /** The node's end, if there is one. */
    public Optional<Link> find(NetworkNamespace host) throws LinuxNetException {
        for (int number = 0; number < NAMES_MAX; number++) {
            Optional<Link> link = host.link(hostName(number));
            if (link.isEmpty() || isOf(link.get())) {
                return link;
            }
        }
        return Optional.empty();
    }

    /** A name that no link of the node has. */
    public String freeName(NetworkNamespace host) throws CniException, LinuxNetException {
        for (int number = 0; number < NAMES_MAX; number++) {
            if (host.link(hostName(number)).isEmpty()) {
                return hostName(number);
            }
        }
        throw new CniException(
                ErrorCode.INTERNAL, hostName(0) + " and " + (NAMES_MAX - 1) + " other names of links are taken");
    }

    /** Whether a link of one of the names is this attachment's; without an alias it was left by a call that was killed. */
    public boolean isOf(Link link) {
        return link.kind().equals("veth")
                && (link.alias().isEmpty() || link.alias().equals(alias()));
    }

    private String text() {
        return network + " " + attachment.containerId() + " " + attachment.ifname();
    }

    /** FNV-1a, its bits mixed once more: a digest of the JDK would cost a short-lived process 20 ms. */
    private static long hash(String text) {
        long hash = FNV_BASIS;
        for (byte part : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (part & 0xFF)) * FNV_PRIME;
        }
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        return hash ^ hash >>> 33;
    }
}
