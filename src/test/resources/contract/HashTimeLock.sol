// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// @title Hash-time-locked payments of the chain's native asset.
/// @notice A hash lock can be used once, for ever. There is no owner, no upgrade, no call into foreign code but the payment itself, and no
/// way to destroy the contract: what the code says when it is deployed is what it says as long as the chain lives.
contract HashTimeLock {
    uint8 private constant LOCKED = 1;
    uint8 private constant CLAIMED = 2;
    uint8 private constant REFUNDED = 3;

    struct Swap {
        address sender;
        uint64 timeoutSec;
        uint8 state;
        address recipient;
        uint256 amount;
    }

    mapping(bytes32 => Swap) private swaps;

    event Locked(
        bytes32 indexed hashlock,
        address indexed sender,
        address indexed recipient,
        uint256 amount,
        uint64 timeoutSec
    );

    /// @notice Locks the value sent with the call until the preimage of `hashlock` is shown, or until `timeoutSec` and a refund.
    /// @param hashlock SHA-256 of 32 bytes
    /// @param recipient is paid by the claim, whoever sends it
    /// @param timeoutSec block time from which on the sender may take the value back
    function lock(bytes32 hashlock, address recipient, uint64 timeoutSec) external payable {
        require(msg.value != 0, "no value");
        require(recipient != address(0), "no recipient");
        require(timeoutSec > block.timestamp, "timeout is over");
        Swap storage swap = swaps[hashlock];
        require(swap.state == 0, "hash lock used");
        swap.sender = msg.sender;
        swap.timeoutSec = timeoutSec;
        swap.state = LOCKED;
        swap.recipient = recipient;
        swap.amount = msg.value;
        emit Locked(hashlock, msg.sender, recipient, msg.value, timeoutSec);
    }

    /// @notice Pays the recipient of the lock; anybody who knows the preimage may send it, also after the timeout.
    function claim(bytes32 preimage) external {
        Swap storage swap = swaps[sha256(abi.encodePacked(preimage))];
        require(swap.state == LOCKED, "not locked");
        swap.state = CLAIMED;
        pay(swap.recipient, swap.amount);
    }

    /// @notice Gives the value back to the sender of the lock, who must be the caller, from `timeoutSec` on.
    function refund(bytes32 hashlock) external {
        Swap storage swap = swaps[hashlock];
        require(swap.state == LOCKED, "not locked");
        require(swap.sender == msg.sender, "not the sender");
        require(block.timestamp >= swap.timeoutSec, "not due");
        swap.state = REFUNDED;
        pay(swap.sender, swap.amount);
    }

    /// @notice All zero for a hash lock that was never used; afterwards the terms stay readable in every state.
    function getSwap(bytes32 hashlock)
        external
        view
        returns (address sender, address recipient, uint256 amount, uint64 timeoutSec, uint8 state)
    {
        Swap storage swap = swaps[hashlock];
        return (swap.sender, swap.recipient, swap.amount, swap.timeoutSec, swap.state);
    }

    /// @dev The state is written before the payment, so a recipient that calls back finds nothing to take.
    function pay(address to, uint256 amount) private {
        (bool paid, ) = to.call{value: amount}("");
        require(paid, "payment refused");
    }
}
