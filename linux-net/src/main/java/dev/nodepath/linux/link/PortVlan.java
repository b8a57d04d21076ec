package dev.nodepath.linux.link;

/**
 * VLANs of a bridge port.
 *
 * @param first the lowest VLAN ID, 1 to 4094
 * @param last the highest; the same as {@code first} for one VLAN
 * @param pvid whether untagged frames that come in belong to it; one VLAN only
 * @param untagged whether its frames go out without a tag
 */
public record PortVlan(int first, int last, boolean pvid, boolean untagged) {

    /** One VLAN whose frames have its tag. */
    public static PortVlan tagged(int id) {
        return new PortVlan(id, id, false, false);
    }

    /** The only VLAN of the other side, which sees no tags. */
    public static PortVlan access(int id) {
        return new PortVlan(id, id, true, true);
    }
}
