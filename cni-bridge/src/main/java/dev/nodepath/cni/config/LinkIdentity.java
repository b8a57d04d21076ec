package dev.nodepath.cni.config;

import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.protocol.CniEnvironment;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.cni.protocol.Names;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Identifies the node's end of a container's link without a stored record. Its name is derived from the attachment, and
 * its alias names the attachment.
 */
public record LinkIdentity(String network, Attachment attachment) {
    private static final String ALIAS = "nodepath-cni ";

    /** The longest alias that the kernel takes, in bytes. */
    private static final int ALIAS_BYTES_MAX = 255;

    /** The most names of an attachment, in case another has the first one. The chance is one in four billion. */
    public static final int NAMES_MAX = 4;

    /** Marks a hash in an alias. No network's name has this character. */
    private static final String HASH = "#";

    private static final long FNV_BASIS = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    /** The name of the node's end, in upstream's form. */
    public String hostName(int number) {
        long hash = hash(text() + (number == 0 ? "" : " " + number));
        return "veth" + HexFormat.of().toHexDigits((int) (hash ^ hash >>> 32));
    }

    /** The alias of the node's end. A hash replaces the network's name if the alias would be too long. */
    public String alias() {
        return alias(HASH);
    }

    private String alias(String mark) {
        String alias = ALIAS + text();
        if (alias.length() > ALIAS_BYTES_MAX) {
            alias = ALIAS + new LinkIdentity(mark + networkHash(), attachment).text();
        }
        return alias.length() > ALIAS_BYTES_MAX ? ALIAS + shortText() : alias;
    }

    /** Whether a link's alias names this attachment. Earlier versions wrote a network's hash without a mark. */
    public boolean isAliasOf(Link link) {
        return link.alias().equals(alias()) || link.alias().equals(alias(""));
    }

    /** A hash of the network's name, 16 hex digits. */
    public String networkHash() {
        return HexFormat.of().toHexDigits(hash(network));
    }

    /** A hash of the attachment, 16 hex digits, for use where its text is too long. */
    String shortText() {
        return HexFormat.of().toHexDigits(hash(text()));
    }

    /**
     * Container and interface, or {@link #shortText} if that would be too long. No other attachment of the network has
     * the same. A slash is between the two where a hyphen could be read in another way.
     *
     * @param lengthMax in characters
     */
    public String shortName(int lengthMax) {
        return shortName(isReadInOneWay() ? "-" : "/", lengthMax);
    }

    /**
     * The name that earlier versions gave. Attachments may share it: container {@code a-b} with {@code c}, and
     * {@code a} with {@code b-c}.
     */
    public String earlierName(int lengthMax) {
        return shortName("-", lengthMax);
    }

    private String shortName(String separator, int lengthMax) {
        String name = attachment.containerId() + separator + attachment.ifname();
        return name.length() <= lengthMax ? name : shortText();
    }

    /** The interface {@code mac} would make the name that a chain of upstream has for another interface. */
    private boolean isReadInOneWay() {
        return attachment.ifname().indexOf('-') < 0 && !attachment.ifname().equals("mac");
    }

    /** The other attachments of the network that have a link on this node and had the same {@link #earlierName}. */
    public List<LinkIdentity> namesakes(NetworkNamespace host) throws LinuxNetException {
        List<LinkIdentity> living = new ArrayList<>();
        String name = attachment.containerId() + "-" + attachment.ifname();
        for (int hyphen = name.indexOf('-'); hyphen >= 0; hyphen = name.indexOf('-', hyphen + 1)) {
            Attachment other = new Attachment(name.substring(0, hyphen), name.substring(hyphen + 1));
            LinkIdentity identity = new LinkIdentity(network, other);
            if (!other.containerId().equals(attachment.containerId())
                    && Names.isIdentifier(other.containerId())
                    && CniEnvironment.isInterfaceName(other.ifname())
                    && identity.find(host).filter(identity::isAliasOf).isPresent()) {
                living.add(identity);
            }
        }
        return living;
    }

    /**
     * Reads the attachment of this network from an alias. Empty if the link is not ours, is of another network, or its
     * alias holds only a hash of the attachment.
     */
    public static Optional<Attachment> ofAlias(String network, Link link) {
        String[] parts =
                isAlias(link.alias()) ? link.alias().substring(ALIAS.length()).split(" ", -1) : new String[0];
        return parts.length == 3
                ? Optional.of(new Attachment(parts[1], parts[2]))
                        .filter(attachment -> new LinkIdentity(network, attachment).isAliasOf(link))
                : Optional.empty();
    }

    /** Whether it is the alias of a link of this plugin, including one with a hash of the attachment. */
    public static boolean isAlias(String alias) {
        return alias.startsWith(ALIAS);
    }

    /** The node's end, if there is one. The link that had an earlier name may be gone. */
    public Optional<Link> find(NetworkNamespace host) throws LinuxNetException {
        for (int number = 0; number < NAMES_MAX; number++) {
            Optional<Link> link = host.link(hostName(number)).filter(this::isOf);
            if (link.isPresent()) {
                return link;
            }
        }
        return Optional.empty();
    }

    /** The node's end among the node's links, if there is one. */
    public Optional<Link> find(List<Link> links) {
        for (int number = 0; number < NAMES_MAX; number++) {
            String name = hostName(number);
            for (Link link : links) {
                if (link.name().equals(name) && isOf(link)) {
                    return Optional.of(link);
                }
            }
        }
        return Optional.empty();
    }

    /** A name that no link of the node uses. */
    public String freeName(NetworkNamespace host) throws CniException, LinuxNetException {
        for (int number = 0; number < NAMES_MAX; number++) {
            if (host.link(hostName(number)).isEmpty()) {
                return hostName(number);
            }
        }
        throw new CniException(
                ErrorCode.INTERNAL, hostName(0) + " and " + (NAMES_MAX - 1) + " other names of links are taken");
    }

    /**
     * Whether a link with one of the names belongs to this attachment. A link without an alias is a leftover of a
     * killed call.
     */
    public boolean isOf(Link link) {
        return link.kind().equals("veth") && (link.alias().isEmpty() || isAliasOf(link));
    }

    private String text() {
        return network + " " + attachment.containerId() + " " + attachment.ifname();
    }

    /** FNV-1a with a final mix. A digest of the JDK would cost a short-lived process 20 ms. */
    private static long hash(String text) {
        long hash = FNV_BASIS;
        for (byte part : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (part & 0xFF)) * FNV_PRIME;
        }
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        return hash ^ hash >>> 33;
    }
}
