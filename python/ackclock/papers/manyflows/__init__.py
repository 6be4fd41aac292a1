"""*Understanding the Performance of Many TCP Flows*.

L. Qiu, Y. Zhang and S. Keshav, Computer Networks 37 (2001). Up to 600 connections share a T1 or an ISDN link with small
to large buffers, with and without random processing times. The study measures loss, fairness and synchronisation.
"""
